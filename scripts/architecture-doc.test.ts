import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** That each file of a list exists is tested with all links, in `doc-links.test.ts`. */
const text = readFileSync(fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url)), 'utf8')

it.each([
  ['Deploy', 30],
  ['Read', 30],
  ['Proxy', 30],
  ['Inbound event', 18],
])('the flow %s goes through few files', (name, filesMax) => {
  const [, after = ''] = text.split(`### Files: ${name}\n`)
  const [list = ''] = after.split(/\n##/)
  const files = [...list.matchAll(/^\d+\. \[`([^`]+)`\]/gm)].map(([, file]) => file)
  expect(files.length).toBeGreaterThan(5)
  expect(files.length).toBeLessThanOrEqual(filesMax)
  expect(new Set(files).size).toBe(files.length)
})
