/**
 * A value that an agent or a provider wrote, on a page where somebody decides about it. Invisible characters that turn
 * the direction of text cannot rearrange what stands around it.
 */
export function ValueText({ value, forNull = 'no value' }: { value: unknown; forNull?: string }) {
  if (value === undefined) return <span className="muted">–</span>
  if (value === null) return <span className="muted">{forNull}</span>
  if (value === '') return <span className="muted">empty text</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return <bdi className="value-text">{text}</bdi>
}
