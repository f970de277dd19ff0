import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('the TypeScript of the pages about the components holds under strict', async () => {
  const folder = await mkdtemp(path.join(root, 'packages/connect/.example-'))
  try {
    const files: string[] = []
    for (const page of ['connect-embedding', 'connect-headless']) {
      const text = await readFile(path.join(root, `docs/${page}.md`), 'utf8')
      for (const [index, [, extension, code = '']] of [...text.matchAll(/^```(tsx?)\n(.*?)^```/gms)].entries()) {
        const file = `${page}-${index}.${extension}`
        await writeFile(path.join(folder, file), code)
        files.push(file)
      }
    }
    expect(files.map((file) => file.replace(/-\d+/, ''))).toEqual([
      'connect-embedding.ts',
      'connect-embedding.tsx',
      'connect-embedding.ts',
      'connect-headless.ts',
      'connect-headless.tsx',
      'connect-headless.ts',
    ])
    const compilerOptions = { jsx: 'react-jsx', erasableSyntaxOnly: false, rootDir: root }
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [], files }),
    )
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const checked = await promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    )
    expect(checked.stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the example without a framework is short', async () => {
  const text = await readFile(path.join(root, 'docs/connect-headless.md'), 'utf8')
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(text) ?? []
  expect(code.split('\n').length).toBeLessThan(60)
})
