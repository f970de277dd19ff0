import { isObject, scalarText } from '../path.ts'

/** A body as `application/x-www-form-urlencoded`: `a[b]=1&list[0]=x`, as most form interfaces read nested values. */
export function formBody(body: unknown): string {
  const pairs: [string, string][] = []
  const walk = (value: unknown, at: string) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${at}[${index}]`)
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) walk(item, at === '' ? key : `${at}[${key}]`)
    else pairs.push([at, scalarText(value) ?? ''])
  }
  walk(body, '')
  return new URLSearchParams(pairs).toString()
}
