import { jsonOf } from '../http-calls.ts'
import type { SettingsReader } from '../settings-reader.ts'
import { fillJsonTemplate, parseJsonTemplate, type Template } from '../template.ts'

/** A larger body is not sent: a template may contain a message many times. */
const bytesMax = 2 ** 20

/** Reads the expression that makes the body of requests. */
export function readBodyTemplate(read: SettingsReader): string | undefined {
  const text = read.optionalText('bodyTemplate', {
    what: 'a JMESPath expression',
    pattern: /\S/,
    remedy: 'Give one, such as {text: objectName, records: result}.',
  })
  if (text === undefined) return undefined
  const parsed = parseJsonTemplate(text)
  if (typeof parsed !== 'string') return text
  read.refuse(
    'bodyTemplate',
    `is not accepted. ${parsed}`,
    'Use fields, indexes, literals, objects, lists, join, to_string, not_null, || and &&.',
  )
  return undefined
}

/** The parsed templates of settings in use. */
const parsed = new WeakMap<object, Template>()

/**
 * Returns the body that a template makes of a message; the message itself where it makes nothing. Undefined if it is
 * larger than 1 MiB.
 */
export function templatedBody(settings: { bodyTemplate?: string }, body: Buffer): Buffer | undefined {
  if (settings.bodyTemplate === undefined) return body
  const known = parsed.get(settings) ?? parseJsonTemplate(settings.bodyTemplate)
  if (typeof known === 'string') return body
  parsed.set(settings, known)
  const message = jsonOf({ body })
  const made = message && fillJsonTemplate(known, message)
  if (made === undefined) return body
  if (!isWithin(made, bytesMax)) return undefined
  const templated = Buffer.from(JSON.stringify(made))
  return templated.length > bytesMax ? undefined : templated
}

/** Whether a value can be written within so many bytes, by its texts. Does not write what is much too large. */
function isWithin(made: unknown, bytes: number): boolean {
  let left = bytes
  const values = [made]
  while (values.length > 0 && left >= 0) {
    const value = values.pop()
    left -= typeof value === 'string' ? value.length : 1
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) values.push(inner)
  }
  return left >= 0
}
