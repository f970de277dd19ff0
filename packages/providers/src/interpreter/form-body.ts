import { isObject, scalarText } from './path.ts'

const depthMax = 20

/** `Content-Type` of a form. */
export const formType = 'application/x-www-form-urlencoded'

/**
 * A body as `application/x-www-form-urlencoded`, nested values in brackets: `card[exp]=12&items[0][price]=p1`. Null is
 * an empty text, which is how forms clear a field.
 *
 * @throws RangeError when it is nested deeper than any form
 */
export function formBody(body: unknown): string {
  const pairs: string[] = []
  const add = (name: string, value: unknown, depth: number): void => {
    if (depth > depthMax) throw new RangeError(`A form cannot nest values deeper than ${depthMax} levels.`)
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) add(`${name}[${index}]`, item, depth + 1)
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, item, depth + 1)
    } else if (value !== undefined) {
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(scalarText(value) ?? '')}`)
    }
  }
  add('', body, 0)
  return pairs.join('&')
}
