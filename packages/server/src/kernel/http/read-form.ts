import type { Readable } from 'node:stream'
import { InvalidInput, UnsupportedMediaType } from './problems.ts'

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
  const chunks: Buffer[] = []
  for await (const chunk of body ?? []) chunks.push(chunk as Buffer)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  for (const [name, value] of form)
    if (`${name}${value}`.includes('\0'))
      throw new InvalidInput({
        issues: [{ in: 'body', name: 'body', detail: 'A field of the form contains the character NUL.' }],
      })
  return form
}
