/**
 * Writes the list of recorded cases that are not run or differ into docs/recorded-cases.md, between its two markers.
 *
 *     node --conditions=mortise-source scripts/write-recorded-cases.ts
 */
import { readFile, writeFile } from 'node:fs/promises'
import { recordedCasesPage } from '../src/recorded/recorded-cases-page.testkit.ts'

const page = new URL('../../../docs/recorded-cases.md', import.meta.url)
const text = await readFile(page, 'utf8')
const [before, after] = [text.split('<!-- cases -->')[0], text.split('<!-- /cases -->')[1]]
await writeFile(page, `${before}<!-- cases -->\n\n${await recordedCasesPage()}\n<!-- /cases -->${after}`)
