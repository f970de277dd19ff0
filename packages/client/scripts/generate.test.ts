import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { generated } from './generate.ts'

test('the generated types are those of the operations as they are declared now', async () => {
  for (const [file, text] of Object.entries(await generated()))
    expect(
      await readFile(new URL(`../src/generated/${file}`, import.meta.url), 'utf8'),
      `${file}: run packages/client/scripts/write-types.ts`,
    ).toBe(text)
})
