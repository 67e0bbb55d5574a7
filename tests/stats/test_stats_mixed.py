"""The crossed mixed model: lme4's digits, the likelihood by its definition, invariance, and what cannot be fitted."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats.mixed import crossed_mixed_model

quick = settings(deadline=None, max_examples=10)


def made_up(seed, rows=120, first=8, second=5, spread=(0.5, 0.4)):
    generator = np.random.default_rng(seed)
    a, b = generator.integers(0, first, rows), generator.integers(0, second, rows)
    x, w = generator.integers(0, 2, rows), generator.normal(size=rows)
    y = (
        2
        + 0.5 * x
        - 0.3 * w
        + spread[0] * generator.normal(size=first)[a]
        + spread[1] * generator.normal(size=second)[b]
    )
    return pd.DataFrame({"y": y + generator.normal(size=rows), "x": x, "w": w, "a": a, "b": b})


def fit(frame, terms=("x", "w")):
    return crossed_mixed_model(frame["y"], frame[list(terms)], frame["a"], frame["b"])


def density(frame, terms, coefficients, variances):
    """The log-likelihood by its definition: one multivariate normal density."""
    design = np.column_stack([np.ones(len(frame)), frame[list(terms)]])
    same = [(np.asarray(frame[f])[:, None] == np.asarray(frame[f])).astype(float) for f in ("a", "b")]
    covariance = variances[0] * same[0] + variances[1] * same[1] + variances[2] * np.eye(len(frame))
    return scipy.stats.multivariate_normal.logpdf(frame["y"], design @ coefficients, covariance)


def close(value, expected, digits):
    return value == pytest.approx(expected, abs=digits * max(1, abs(expected)))


@pytest.mark.shared
def test_the_fourteen_sonnet_fits_equal_lme4(shared):
    reference = pd.read_csv(shared / "audit/sonnet_lme4_reference.csv")
    opus, sol = (pd.read_csv(shared / f"audit/sonnet_{judge}.csv") for judge in ("opus", "sol"))
    assert len(reference) == 14
    for row in reference.itertuples():
        turns = sol if row.judge == "sol" else opus
        outcome = {
            "h": turns["helpfulness3"] / 3,
            "ped": turns["pedagogy3"] / 3,
            "next_independent": turns["next_independent"],
            "h_difference": (sol["helpfulness3"] - opus["helpfulness3"]) / 3,
            "ped_difference": (sol["pedagogy3"] - opus["pedagogy3"]) / 3,
        }[row.outcome]
        fixed = {"leaks": turns["leaks"]}
        if row.spec == "adjusted":
            fixed["policy"] = (turns["condition"] == "ped").astype(int)
        result = crossed_mixed_model(outcome, fixed, turns["replicate"], turns["problem"])
        assert result.n == row.n
        assert result.coefficients[:2] == pytest.approx((row.intercept, row.beta_leak), abs=1e-6)
        assert result.standard_errors[1] == pytest.approx(row.se_leak, abs=1e-5)
        if row.spec == "adjusted":
            assert result.coefficients[2] == pytest.approx(row.beta_policy, abs=1e-6)
            assert result.standard_errors[2] == pytest.approx(row.se_policy, abs=1e-5)
        assert result.loglik == pytest.approx(row.loglik, abs=1e-6)
        variances = (result.variance_first, result.variance_second, result.variance_residual)
        assert variances == pytest.approx((row.var_replicate, row.var_problem, row.var_residual), abs=1e-6)
        assert result.second_at_zero == (row.var_problem < 1e-12)
        assert result.gradient < 1e-7


@pytest.mark.parametrize("row", range(7))
def test_lme4_gives_the_same_digits(golden, row):
    expected = golden("crossed")[row]
    frame = pd.read_csv(Path(__file__).parent / "golden/crossed.csv")
    result = fit(frame[frame["set"] == expected["set"]])
    assert result.loglik == pytest.approx(expected["loglik"], abs=1e-6)
    for value, error, term in zip(result.coefficients, result.standard_errors, ("intercept", "x", "w"), strict=True):
        assert close(value, expected[term], 1e-6)
        assert close(error, expected[f"se_{term}"], 1e-5)
    for name in ("first", "second", "residual"):
        golden_name = {"first": "variance_a", "second": "variance_b"}.get(name, "variance_residual")
        assert close(getattr(result, f"variance_{name}"), expected[golden_name], 1e-6)


@pytest.mark.r
def test_the_golden_script_still_gives_its_digits(golden, remade):
    for now, then in zip(remade("crossed", "crossed", "lme4"), golden("crossed"), strict=True):
        assert {name: close(now[name], then[name], 1e-4) for name in then if name != "set"} == dict.fromkeys(
            [name for name in then if name != "set"], True
        )


@quick
@given(st.integers(0, 10_000), st.sampled_from([(0, 0), (0.5, 0), (0.5, 0.4), (3, 1)]))
def test_the_likelihood_is_the_normal_density_and_nothing_near_is_higher(seed, spread):
    frame = made_up(seed, rows=60, spread=spread)
    result = fit(frame)
    variances = np.array([result.variance_first, result.variance_second, result.variance_residual])
    at_maximum = density(frame, ("x", "w"), result.coefficients, variances)
    assert result.loglik == pytest.approx(at_maximum, abs=1e-8)
    assert result.gradient < 1e-6
    for nudge in (1e-3, 0.03, 0.3):
        for direction in np.vstack([np.eye(6), -np.eye(6)]):
            near = variances + nudge * direction[:3]
            if (near >= [0, 0, 1e-6]).all():
                coefficients = np.array(result.coefficients) + nudge * direction[3:]
                assert density(frame, ("x", "w"), coefficients, near) <= at_maximum + 1e-9


def test_standard_errors_are_those_of_generalised_least_squares():
    frame = made_up(1)
    result = fit(frame)
    design = np.column_stack([np.ones(len(frame)), frame[["x", "w"]]])
    same = [(np.asarray(frame[f])[:, None] == np.asarray(frame[f])).astype(float) for f in ("a", "b")]
    covariance = result.variance_first * same[0] + result.variance_second * same[1]
    covariance += result.variance_residual * np.eye(len(frame))
    expected = np.sqrt(np.diag(np.linalg.inv(design.T @ np.linalg.solve(covariance, design))))
    assert result.standard_errors == pytest.approx(expected, rel=1e-9)
    assert result.z == pytest.approx(np.array(result.coefficients) / expected, rel=1e-9)
    assert result.p == pytest.approx(2 * scipy.stats.norm.sf(np.abs(result.z)), rel=1e-9)
    assert np.array(result.high) - result.coefficients == pytest.approx(1.959963985 * expected, rel=1e-8)


def test_statsmodels_never_gets_higher():
    statsmodels = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    frame = made_up(3).assign(all=1)
    components = {"a": "0 + C(a)", "b": "0 + C(b)"}
    model = statsmodels.MixedLM.from_formula("y ~ x + w", frame, groups="all", re_formula="0", vc_formula=components)
    oracle = model.fit(reml=False, method=["powell"])
    result = fit(frame)
    assert result.loglik >= oracle.llf - 1e-9
    assert result.coefficients == pytest.approx(oracle.fe_params, abs=1e-3)


@quick
@given(st.integers(0, 10_000))
def test_row_order_level_names_and_which_factor_comes_first_change_nothing(seed):
    frame = made_up(seed, spread=(0.5, 0.2))
    result = fit(frame)
    shuffled = frame.sample(frac=1, random_state=seed)
    renamed = shuffled.assign(a=shuffled["a"].map(lambda level: f"replicate {97 - level}"))
    again = fit(renamed)
    assert again.coefficients == pytest.approx(result.coefficients, rel=1e-9, abs=1e-9)
    assert again.standard_errors == pytest.approx(result.standard_errors, rel=1e-9)
    turned = fit(frame.rename(columns={"a": "b", "b": "a"}))
    assert turned.loglik == pytest.approx(result.loglik, abs=1e-9)
    assert turned.variance_first == pytest.approx(result.variance_second, rel=1e-6, abs=1e-9)
    assert (turned.first_at_zero, turned.second_at_zero) == (result.second_at_zero, result.first_at_zero)


@quick
@given(st.integers(0, 10_000), st.floats(-1e4, 1e4), st.floats(0.01, 100))
def test_shifting_and_stretching_the_outcome_moves_the_fit_with_it(seed, shift, stretch):
    frame = made_up(seed)
    result, moved = fit(frame), fit(frame.assign(y=frame["y"] * stretch + shift))
    assert moved.coefficients[1:] == pytest.approx(np.array(result.coefficients[1:]) * stretch, rel=1e-6, abs=1e-9)
    assert moved.loglik == pytest.approx(result.loglik - len(frame) * math.log(stretch), abs=1e-6)
    assert moved.variance_residual == pytest.approx(result.variance_residual * stretch**2, rel=1e-6)


def test_blas_threads_change_no_digit_that_counts():
    code = (
        "import numpy as np; from tutorscope.stats.mixed import crossed_mixed_model; g = np.random.default_rng(5);"
        "a, b, x, e = g.integers(0, 90, 3000), g.integers(0, 70, 3000), g.normal(size=3000), g.normal(size=3000);"
        "r = crossed_mixed_model(x + g.normal(size=90)[a] + e, {'x': x}, a, b);"
        "print(*r.coefficients, *r.standard_errors, r.variance_first, r.variance_second, r.loglik)"
    )
    one, two = (
        np.array(
            subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
                capture_output=True,
                check=True,
                text=True,
            ).stdout.split(),
            dtype=float,
        )
        for threads in ("1", "2")
    )
    assert one == pytest.approx(two, rel=1e-9)


def test_planted_slopes_are_covered():
    results = [fit(made_up(seed, rows=100, first=10, second=6)) for seed in range(120)]
    covered = [result.low[1] <= 0.5 <= result.high[1] for result in results]
    assert scipy.stats.binomtest(sum(covered), len(covered), 0.95).pvalue > 0.001


def test_the_search_is_short():
    # What a fit costs is its evaluations; the benchmark has the seconds.
    assert max(fit(made_up(seed)).evaluations for seed in range(10)) <= 170


def test_no_fixed_term_leaves_the_intercept():
    frame = made_up(2)
    result = fit(frame, terms=())
    assert result.terms == ("intercept",)
    variances = (result.variance_first, result.variance_second, result.variance_residual)
    assert result.loglik == pytest.approx(density(frame, (), result.coefficients, variances), abs=1e-8)


def test_both_variances_at_zero_are_least_squares():
    frame = made_up(0, rows=80, spread=(0, 0))
    # Take every trace of the factors out of the outcome.
    dummies = pd.get_dummies(frame[["a", "b"]].astype(str), dtype=float).to_numpy()
    design = np.column_stack([np.ones(80), frame[["x", "w"]], dummies])
    fitted = design @ np.linalg.lstsq(design, frame["y"], rcond=None)[0]
    residual = frame["y"] - fitted
    result = fit(frame.assign(y=1 + 0.5 * frame["x"] + residual))
    assert (result.first_at_zero, result.second_at_zero, result.gradient) == (True, True, 0)
    assert (result.variance_first, result.variance_second) == (0, 0)
    assert result.coefficients == pytest.approx((1, 0.5, 0), abs=1e-9)


BASE = made_up(9, rows=40)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (BASE.assign(y=4.3), "the outcome does not vary"),
        (BASE.assign(x=0), "x does not vary"),
        (BASE.assign(w=2 * BASE["x"] + 1), "w is determined by the other fixed terms"),
        (BASE.assign(y=1 - BASE["x"]), "separation: the fixed terms determine the outcome"),
        (BASE.assign(y=BASE["a"] * 0.7 + BASE["b"] * 0.1), "the factors leave no residual: they determine the outcome"),
        (BASE.assign(a="one"), "too few groups: the first factor has 1 level"),
        (BASE.assign(b=range(40)), "too few rows: the second factor has a level for each row"),
        (BASE.iloc[:3], "too few rows: 3 for 3 coefficients"),
        (BASE.iloc[:0], "too few rows: 0 for 3 coefficients"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_fitted_says_why(frame, reason):
    result = fit(frame)
    assert (result.state, result.reason) == ("not_estimable", reason)
    assert result.coefficients == ()
    assert math.isnan(result.loglik)
    assert result.terms == ("intercept", "x", "w")


@pytest.mark.parametrize("column", ["y", "x"])
def test_a_missing_value_is_named_by_its_row(column):
    frame = BASE.astype({"x": float})
    frame.loc[7, column] = math.nan
    with pytest.raises(UserError, match="row 7"):
        fit(frame)


def test_a_missing_label_is_named_by_its_row():
    with pytest.raises(UserError, match="second: row 3"):
        fit(BASE.assign(b=BASE["b"].where(BASE.index != 3)))


def test_lengths_that_differ_and_a_second_intercept_are_refused():
    with pytest.raises(ValueError, match="first"):
        crossed_mixed_model([1, 2, 3], {}, [1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="intercept"):
        crossed_mixed_model([1, 2, 3], {"intercept": [1, 1, 1]}, [1, 2, 1], [1, 2, 2])
