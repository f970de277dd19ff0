import { isHostValue } from './base-url.ts'

/**
 * Whether a text is a host name, or `*.` and a host name for every name below it. Names have two labels at least. One
 * label inside may be `*`, as in `api.*.example.com`.
 */
export function isHostPattern(text: string): boolean {
  const inner = innerLabel(text)
  if (inner !== undefined) return isHostValue(inner.start) && inner.end.includes('.') && isHostValue(inner.end)
  const name = text.startsWith('*.') ? text.slice(2) : text
  return name.includes('.') && isHostValue(name)
}

/**
 * Whether a host name fits one of the patterns. `*.example.com` fits names of any depth below, not `example.com`
 * itself.
 */
export function fitsHost(patterns: readonly string[], host: string): boolean {
  const name = host.toLowerCase()
  return (
    isHostValue(name) &&
    patterns.some((pattern) => {
      const inner = innerLabel(pattern)
      if (inner !== undefined) return hasInnerLabel(name, inner)
      return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
    })
  )
}

/** Returns what is before and after a `*` inside a pattern. */
function innerLabel(pattern: string): { start: string; end: string } | undefined {
  const at = pattern.indexOf('.*.')
  return at === -1 ? undefined : { start: pattern.slice(0, at), end: pattern.slice(at + '.*.'.length) }
}

function hasInnerLabel(name: string, { start, end }: { start: string; end: string }): boolean {
  const isAround = name.startsWith(`${start}.`) && name.endsWith(`.${end}`)
  const label = name.slice(start.length + 1, name.length - end.length - 1)
  return isAround && label !== '' && !label.includes('.')
}
