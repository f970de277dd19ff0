/** Counts of a list's row, as small bars. */
export function Spark({ values, label, color = 'var(--info)' }: { values: number[]; label: string; color?: string }) {
  const max = Math.max(1, ...values)
  const width = 100 / Math.max(1, values.length)
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = (value / max) * 24
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a value is its interval
            key={index}
            x={index * width}
            y={24 - height}
            width={width * 0.8}
            height={height}
            fill={color}
          />
        )
      })}
    </svg>
  )
}
