/**
 * Writes the reference of the file format into docs/provider-file-reference.md, between its two markers.
 *
 *     node --conditions=mortise-source scripts/write-format-reference.ts
 */
import { readFile, writeFile } from 'node:fs/promises'
import { formatReference } from '../src/catalogue/format-reference.ts'

const page = new URL('../../../docs/provider-file-reference.md', import.meta.url)
const text = await readFile(page, 'utf8')
const [before, after] = [text.split('<!-- reference -->')[0], text.split('<!-- /reference -->')[1]]
await writeFile(page, `${before}<!-- reference -->\n\n${formatReference()}\n<!-- /reference -->${after}`)
