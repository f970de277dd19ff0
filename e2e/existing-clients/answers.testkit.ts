import { expect } from 'vitest'

/** What every existing client relies on in whatever it is answered. */

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Times are RFC 3339 or not there, never "": one of the clients cannot read anything of an answer that has one. */
export function expectTimes(value: unknown, at = ''): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    // A map by name may have a name such as `quickBooksTime`.
    if (/(Time|At|time)$/.test(key) && typeof member !== 'object') expect(member, `${at}.${key}`).toMatch(rfc3339)
    expectTimes(member, `${at}.${key}`)
  }
}

/** Every one of these members is there, and none is null. */
export function expectMembers(value: unknown, names: string): void {
  for (const name of names.split(' ')) {
    const member = (value as Record<string, unknown>)[name]
    expect(member !== undefined && member !== null, `${name} of ${JSON.stringify(value)}`).toBe(true)
  }
}
