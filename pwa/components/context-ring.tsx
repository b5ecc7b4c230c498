// How full the model's context is: a ring, and the same in words for those who do not see it.

const radius = 7;
const around = 2 * Math.PI * radius;

export function ContextRing({ tokens, budget }: { tokens: number; budget: number }) {
  const share = Math.min(1, tokens / Math.max(1, budget));
  const words = `Context ${Math.round(share * 100)} % full`;
  return (
    <svg
      class={share > 0.85 ? "ring full" : "ring"}
      width="22"
      height="22"
      viewBox="0 0 20 20"
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <circle cx="10" cy="10" r={radius} />
      <circle
        class="arc"
        cx="10"
        cy="10"
        r={radius}
        stroke-dasharray={`${share * around} ${around}`}
        transform="rotate(-90 10 10)"
      />
    </svg>
  );
}
