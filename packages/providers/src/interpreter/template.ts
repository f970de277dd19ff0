/**
 * Texts with variables: `{{name}}`, `{{record.id}}`, `{{name|lower}}`. Nothing else: no expressions, no code. Which
 * variables exist is declared, so a template that names another one is refused when the file is loaded.
 */
export interface Template {
  /** Literal texts and variables in turn. */
  readonly parts: readonly (string | Variable)[]
  /** Names of the variables, without filters. */
  readonly variables: readonly string[]
}

export interface Variable {
  readonly name: string
  readonly lower: boolean
}

/** The value of a variable as text, `undefined` when it has none. */
export type Variables = (name: string) => string | undefined

const variable = /\{\{\s*([A-Za-z_$][\w$-]*(?:\.[\w$-]+)*)\s*(\|\s*lower\s*)?\}\}/g

/** @throws RangeError when braces are left that form no variable. */
export function parseTemplate(text: string): Template {
  const parts: (string | Variable)[] = []
  const names: string[] = []
  let literal = 0
  for (const found of text.matchAll(variable)) {
    if (found.index > literal) parts.push(text.slice(literal, found.index))
    const name = found[1] ?? ''
    parts.push({ name, lower: found[2] !== undefined })
    names.push(name)
    literal = found.index + found[0].length
  }
  if (literal < text.length) parts.push(text.slice(literal))
  if (parts.some((part) => typeof part === 'string' && (part.includes('{{') || part.includes('}}')))) {
    throw new RangeError(`"${text}" holds braces that form no variable; a variable is written {{name}}.`)
  }
  return { parts, variables: names }
}

/**
 * The text with its variables filled in, or `undefined` when one of them has no value.
 *
 * @param encode applied to each value, never to the literal text
 */
export function render(
  template: Template,
  variables: Variables,
  encode: (value: string) => string = asIs,
): string | undefined {
  let text = ''
  for (const part of template.parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = variables(part.name)
    if (value === undefined) return undefined
    text += encode(part.lower ? value.toLowerCase() : value)
  }
  return text
}

const asIs = (value: string) => value
