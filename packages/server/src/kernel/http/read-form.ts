import type { Readable } from 'node:stream'
import { InvalidInput, UnsupportedMediaType } from './problems.ts'

/** More fields than any form of ours or of a provider has. */
const fieldsMax = 1_000

/** Reads the body of an HTML form (URL Standard, 5). @throws UnsupportedMediaType, InvalidInput, BodyTooLarge */
export async function readForm(
  headers: Record<string, string | string[] | undefined>,
  body: Readable | null | undefined,
): Promise<URLSearchParams> {
  const type = headers['content-type']?.toString().split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new UnsupportedMediaType({
      detail: 'The body must be an HTML form.',
      remedy: 'Send the header Content-Type: application/x-www-form-urlencoded.',
    })
  const form = await readFields(body)
  for (const [name, value] of form)
    if (`${name}${value}`.includes('\0'))
      throw new InvalidInput({
        issues: [{ in: 'body', name: 'body', detail: 'A field of the form contains the character NUL.' }],
      })
  return form
}

/**
 * Reads the fields of a form, whatever its media type; they are counted before anything is built.
 * @throws InvalidInput, BodyTooLarge
 */
export async function readFields(body: Readable | null | undefined): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of body ?? []) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  let fields = 1
  for (let at = bytes.indexOf('&'); at !== -1; at = bytes.indexOf('&', at + 1))
    if (++fields > fieldsMax)
      throw new InvalidInput({
        issues: [{ in: 'body', name: 'body', detail: `The form holds more than ${fieldsMax} fields.` }],
      })
  return new URLSearchParams(bytes.toString())
}
