/**
 * Prints how many providers authenticate how, and what can be done there.
 *
 *     node --conditions=mortise-source scripts/count.ts [--write]
 *
 * `--write` puts it into docs/providers.md, between its two markers; a test compares the two.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { loadCatalogue } from '../src/catalogue/load-catalogue.ts'
import { countsPage } from './counts-page.ts'

const text = countsPage((await loadCatalogue()).list())
if (process.argv[2] !== '--write') console.log(text)
else {
  const page = new URL('../../../docs/providers.md', import.meta.url)
  const written = await readFile(page, 'utf8')
  const [before, after] = [written.split('<!-- counts -->')[0], written.split('<!-- /counts -->')[1]]
  if (before === undefined || after === undefined) throw new Error('docs/providers.md has not the two markers.')
  await writeFile(page, `${before}<!-- counts -->\n\n${text}\n<!-- /counts -->${after}`)
}
