import { lettersOf } from './paging.ts'

/** Names of ids, the likeliest first. */
const usual = ['id', 'uuid', 'guid', 'gid', 'sid', '_id', 'key', 'uid', 'uri', 'code', 'slug']
/** Names that may not be unique, for records without any other. */
const weak = ['identifier', 'number', 'hash', 'email', 'name']

/**
 * Finds the property of a record that a path parameter stands for: `issue_number` is `number` of an issue.
 *
 * @param parameter name of the path parameter; undefined if no request names one record
 * @param resource name of the list, in the plural
 * @returns undefined if no property fits; `isSure` if its name is that of the parameter
 */
export function idPropertyOf(
  parameter: string | undefined,
  resource: string,
  properties: Iterable<string>,
): { name: string; isSure: boolean } | undefined {
  const names = [...properties].filter((name) => /^[\w-]+$/.test(name))
  const byLetters = (letters: string) => names.find((name) => lettersOf(name) === letters)
  const singular = lettersOf(singularOf(resource))
  if (parameter !== undefined) {
    const letters = lettersOf(parameter)
    const same = names.find((name) => name === parameter) ?? byLetters(letters)
    if (same !== undefined && letters !== '') return { name: same, isSure: true }
    const rest = letters.startsWith(singular) ? letters.slice(singular.length) : letters
    const short = rest === '' ? undefined : byLetters(rest)
    if (short !== undefined) return { name: short, isSure: true }
  }
  // `/orgs/{org}` is called by the login of the organization, not by its id.
  const isId = parameter === undefined || /id$|key$/i.test(parameter)
  const found =
    (isId ? undefined : names.find((name) => name === 'login' || name === 'slug')) ??
    usual.find((name) => names.includes(name)) ??
    names.find((name) => ['id', 'Id', 'ID'].some((end) => name.endsWith(end)) && lettersOf(name) === `${singular}id`) ??
    byLetters('id')
  if (found !== undefined) return { name: found, isSure: isId }
  const guess = weak.find((name) => names.includes(name))
  return guess === undefined ? undefined : { name: guess, isSure: false }
}

/** Returns the singular of an English plural, as far as APIs need it. */
export function singularOf(word: string): string {
  if (/ies$/i.test(word)) return `${word.slice(0, -3)}y`
  if (/(ss|x|ch|sh)es$/i.test(word)) return word.slice(0, -2)
  return /[^s]s$/i.test(word) ? word.slice(0, -1) : word
}
