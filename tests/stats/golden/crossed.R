# Golden digits for tests/stats/test_stats_mixed.py, from R with lme4.
#
#     Rscript tests/stats/golden/crossed.R tests/stats/golden/crossed.csv > tests/stats/golden/crossed.json
#
# crossed.csv is made up: gaps in the crossing, variances of zero, one far larger than the residual's, a binary outcome,
# a covariate far from zero, more levels than rows per level.
suppressMessages(library(lme4))

data <- read.csv(commandArgs(trailingOnly = TRUE)[1])
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5), calc.derivs = FALSE,
                       check.conv.singular = "ignore")

fit_one <- function(name) {
  rows <- data[data$set == name, ]
  # From several starts: bobyqa may stop on a boundary that is not the maximum.
  fits <- lapply(list(c(1, 1), c(0.1, 0.1), c(20, 5), c(0.1, 5)), function(start) {
    suppressWarnings(lmer(y ~ x + w + (1 | a) + (1 | b), rows, REML = FALSE, control = control, start = start))
  })
  fit <- fits[[which.max(vapply(fits, function(one) as.numeric(logLik(one)), 0))]]
  variances <- as.data.frame(VarCorr(fit))
  variance <- function(group) variances$vcov[variances$grp == group]
  numbers <- c(fixef(fit), sqrt(diag(as.matrix(vcov(fit)))), variance("a"), variance("b"), variance("Residual"),
               as.numeric(logLik(fit)))
  names(numbers) <- c("intercept", "x", "w", "se_intercept", "se_x", "se_w", "variance_a", "variance_b",
                      "variance_residual", "loglik")
  sprintf('  {"set": "%s", %s}', name, paste0('"', names(numbers), '": ', sprintf("%.15g", numbers), collapse = ", "))
}

cat("[\n", paste(vapply(unique(data$set), fit_one, ""), collapse = ",\n"), "\n]\n", sep = "")
