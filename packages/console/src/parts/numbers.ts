const whole = new Intl.NumberFormat()
// Made when it is needed: to make one takes longer than to draw a page of figures.
let short: Intl.NumberFormat | undefined

/** "12,345". */
export function count(value: number): string {
  return whole.format(value)
}

/** "12.3K": where there is little room. */
export function shortCount(value: number): string {
  if (Math.abs(value) < 10_000) return whole.format(value)
  short ??= new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
  return short.format(value)
}

/** "12 installations". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

const sizes = ['B', 'kB', 'MB', 'GB'] as const

/** "3.4 kB". */
export function bytes(value: number): string {
  const power = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
  const scaled = value / 1_000 ** power
  return `${scaled < 10 && power > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${sizes[power]}`
}
