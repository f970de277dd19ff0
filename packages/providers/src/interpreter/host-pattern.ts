import { isHostValue } from './base-url.ts'

/** Whether a text is a host name, or `*.` and a host name for every name below it. Names have two labels at least. */
export function isHostPattern(text: string): boolean {
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
    patterns.some((pattern) => (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern))
  )
}
