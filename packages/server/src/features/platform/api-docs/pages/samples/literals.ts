interface Notation {
  scalar(value: unknown): string
  key(name: string): string
}

/** Writes a value as nested literals, one member for each line. */
export function indented(value: unknown, notation: Notation, margin = ''): string {
  const inner = `${margin}  `
  const block = ([open, close]: [string, string], members: string[]) =>
    members.length === 0
      ? `${open}${close}`
      : `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${margin}${close}`
  if (Array.isArray(value))
    return block(
      ['[', ']'],
      value.map((item) => indented(item, notation, inner)),
    )
  if (typeof value !== 'object' || value === null) return notation.scalar(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${notation.key(name)}: ${indented(member, notation, inner)}`,
  )
  return block(['{', '}'], members)
}

/** Writes a property name of TypeScript: quoted only where it must be. */
export function canonicalKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}
