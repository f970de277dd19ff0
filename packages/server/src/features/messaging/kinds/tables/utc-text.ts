const zonedTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/

/** Returns a time with a zone as `2026-01-31 12:10:00.000000` in UTC; undefined for any other text. */
export function utcText(text: string): string | undefined {
  if (!zonedTime.test(text)) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return undefined
  const [, fraction = ''] = /\.(\d{1,6})/.exec(text) ?? []
  return `${time.toISOString().slice(0, 19).replace('T', ' ')}.${fraction.padEnd(6, '0')}`
}
