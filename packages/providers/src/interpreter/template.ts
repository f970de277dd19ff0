import { type Filter, filterNames, filters, isFilter } from './quoting.ts'

/**
 * Texts with variables: `{{name}}`, `{{record.id}}`, `{{name|lower}}` (a filter of `quoting.ts`). Nothing else: no
 * expressions, no code. Which variables exist is declared, so a template that names another one is refused when the
 * file is loaded.
 */
export interface Template {
  /** Literal texts and variables in turn. */
  readonly parts: readonly (string | Variable)[]
  /** Names of the variables, without filters. */
  readonly variables: readonly string[]
}

export interface Variable {
  readonly name: string
  readonly filter: Filter | undefined
}

/** The value of a variable as text, written by the filter where one is given; `undefined` when it has none. */
export type Variables = (name: string, filter?: Filter) => string | undefined

const variable = /\{\{\s*([A-Za-z_$][\w$-]*(?:\.[\w$-]+)*)\s*(?:\|\s*(\w+)\s*)?\}\}/g

/** Templates by their text. Objects of a file repeat the texts of their template, and each is checked several times. */
const parsed = new Map<string, Template>()
const parsedMax = 10_000

/** What is wrong with a text as a template, said of the text; `undefined` where nothing is. */
export function templateFault(text: string): string | undefined {
  // Most texts of a file are plain.
  if ((!text.includes('{{') && !text.includes('}}')) || parsed.has(text)) return undefined
  for (const [, , filter] of text.matchAll(variable)) {
    if (filter !== undefined && !isFilter(filter)) {
      return `uses the unknown filter "${filter}"; known filters: ${filterNames.join(', ')}`
    }
  }
  return /\{\{|\}\}/.test(text.replaceAll(variable, ' '))
    ? 'contains braces that are not a variable; write {{name}}'
    : undefined
}

/** @throws RangeError when braces are left that form no variable, and for a filter that there is not. */
export function parseTemplate(text: string): Template {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const fault = templateFault(text)
  if (fault !== undefined) throw new RangeError(`"${text}" ${fault}.`)
  const parts: (string | Variable)[] = []
  const names: string[] = []
  let literal = 0
  for (const found of text.matchAll(variable)) {
    if (found.index > literal) parts.push(text.slice(literal, found.index))
    const name = found[1] ?? ''
    const filter = found[2]
    parts.push({ name, filter: filter !== undefined && isFilter(filter) ? filter : undefined })
    names.push(name)
    literal = found.index + found[0].length
  }
  if (literal < text.length) parts.push(text.slice(literal))
  const template = { parts, variables: names }
  if (parsed.size >= parsedMax) parsed.clear()
  parsed.set(text, template)
  return template
}

/**
 * The text with its variables filled in, or `undefined` when one of them has no value.
 *
 * @param encode applied to each value, never to the literal text
 */
export function render(
  template: Template,
  variables: Variables,
  encode: (value: string, filter: Filter | undefined) => string = asIs,
): string | undefined {
  let text = ''
  for (const part of template.parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = variables(part.name, part.filter)
    if (value === undefined) return undefined
    text += encode(value, part.filter)
  }
  return text
}

const asIs = (value: string) => value

/** Variables whose values are texts: filters are applied to these. */
export function textVariables(text: (name: string) => string | undefined): Variables {
  return (name, filter) => {
    const value = text(name)
    return filter === undefined ? value : filters[filter](value)
  }
}

/** A path with the variables that it names filled in. @throws RangeError when one has no value */
export function namedPath(path: string, text: Variables): string {
  const named = path.includes('{{') ? render(parseTemplate(path), text) : path
  if (named === undefined) throw new RangeError(`"${path}" uses a variable without a value.`)
  return named
}
