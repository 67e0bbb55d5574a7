# Golden digits for tests/stats/test_stats_permutation.py, from R with vegan.
#
#     Rscript tests/stats/golden/permutation.R tests/stats/golden/points.csv > tests/stats/golden/permutation.json
#
# points.csv is made up: three groups of unequal size and spread on a plane, many equal coordinates.
suppressMessages(library(vegan))

points <- read.csv(commandArgs(trailingOnly = TRUE)[1], stringsAsFactors = TRUE)

# vegan finds medians with optim's default tolerance, some four digits. This one goes on until nothing moves.
tight_median <- function(xy) {
  total <- function(at) sum(sqrt(rowSums(sweep(xy, 2, at)^2)))
  at <- apply(xy, 2, median)
  for (restart in 1:20) {
    at <- optim(at, total, method = "Nelder-Mead", control = list(reltol = 1e-16, maxit = 10000))$par
  }
  on_a_point <- xy[which.min(apply(xy, 1, total)), ]
  if (total(on_a_point) <= total(at)) on_a_point else at
}

tight_f <- function(xy, group) {
  distances <- numeric(nrow(xy))
  for (level in levels(group)) {
    rows <- group == level
    distances[rows] <- sqrt(rowSums(sweep(xy[rows, ], 2, tight_median(xy[rows, ]))^2))
  }
  anova(lm(distances ~ group))$F[1]
}

compare <- function(names) {
  chosen <- points$group %in% names
  xy <- as.matrix(points[chosen, c("x", "y")])
  group <- droplevels(points$group[chosen])
  d <- dist(xy)
  set.seed(1)
  place <- adonis2(d ~ group, permutations = 1999)
  median <- betadisper(d, group, type = "median")
  centroid <- betadisper(d, group, type = "centroid")
  list(
    groups = paste(names, collapse = " "),
    permanova_f = place$F[1], permanova_r2 = place$R2[1], permanova_p = place$`Pr(>F)`[1],
    centroid_f = anova(centroid)$F[1], centroid_p = permutest(centroid, permutations = 999)$tab$`Pr(>F)`[1],
    vegan_median_f = anova(median)$F[1], median_p = permutest(median, permutations = 999)$tab$`Pr(>F)`[1],
    tight_median_f = tight_f(xy, group)
  )
}

sets <- list(c("a", "b"), c("a", "c"), c("b", "c"), c("a", "b", "c"))
rows <- vapply(lapply(sets, compare), function(one) {
  numbers <- vapply(one[-1], function(value) sprintf("%.15g", value), "")
  sprintf('  {"groups": "%s", %s}', one$groups, paste0('"', names(numbers), '": ', numbers, collapse = ", "))
}, "")
cat("[\n", paste(rows, collapse = ",\n"), "\n]\n", sep = "")
