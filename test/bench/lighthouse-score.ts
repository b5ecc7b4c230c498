// Lighthouse's performance score, computed from metrics that were measured elsewhere. The curves and weights
// are those of Lighthouse 12 for phones:
// https://github.com/GoogleChrome/lighthouse/blob/main/core/config/default-config.js

/** Times in milliseconds; the layout shift in the unit that browsers use. */
export interface Metrics {
  firstPaint: number;
  largestPaint: number;
  blocked: number;
  layoutShift: number;
}

/** The curve gives 0.9 at `good` and 0.5 at `middling`. */
const curves = {
  firstPaint: { good: 1800, middling: 3000, weight: 10 },
  speedIndex: { good: 3387, middling: 5800, weight: 10 },
  largestPaint: { good: 2500, middling: 4000, weight: 25 },
  blocked: { good: 200, middling: 600, weight: 30 },
  layoutShift: { good: 0.1, middling: 0.25, weight: 25 },
};

/**
 * A score from 0 to 100. The speed index is not measured: the largest contentful paint, which is later,
 * replaces it.
 */
export function performanceScore(metrics: Metrics): number {
  const values = { ...metrics, speedIndex: metrics.largestPaint };
  let sum = 0;
  for (const [name, value] of Object.entries(values)) {
    const curve = Object.entries(curves).find(([known]) => known === name)?.[1];
    if (curve !== undefined) sum += curve.weight * scoreOf(value, curve);
  }
  return sum;
}

/** The complement of a log-normal distribution through the curve's two points. */
function scoreOf(value: number, { good, middling }: { good: number; middling: number }): number {
  if (value <= 0) return 1;
  // erfc⁻¹(2 × 0.9) × √2 equals, apart from its sign, the normal distribution's 90th percentile.
  const tenthPercentile = 1.2815515655446004;
  const steps = (tenthPercentile * Math.log(value / middling)) / Math.log(middling / good);
  return 1 - normal(steps);
}

/** The normal distribution up to `x`, to 7 digits: Abramowitz and Stegun, 26.2.17. */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}
