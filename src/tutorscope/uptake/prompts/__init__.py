"""The judge's prompts, one file each; ``--prompts DIR`` puts a file of the same name in place of ours."""
