import { jsonText, printable } from '../terminal/print.ts'

/**
 * Returns the body of an answer to print: JSON indented, text without what steers a terminal, and anything else as it
 * is.
 */
export async function bodyText(answer: Response): Promise<string | Uint8Array> {
  const type = answer.headers.get('content-type') ?? ''
  if (/[/+]json\b/.test(type)) {
    const text = await answer.text()
    try {
      return text === '' ? '' : jsonText(JSON.parse(text))
    } catch {
      return printable(text)
    }
  }
  if (/^text\//.test(type)) {
    const text = await answer.text()
    return text === '' ? '' : `${printable(text)}${text.endsWith('\n') ? '' : '\n'}`
  }
  return new Uint8Array(await answer.arrayBuffer())
}
