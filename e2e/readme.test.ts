import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { linesToRun } from './readme/lines-to-run.ts'
import { startShell } from './readme/shell.ts'
import { freePorts, temporaryFolder } from './readme/surroundings.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const lineMs = 90_000

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.log('The tour of the README is not run: there is no curl on this machine.')

describe.skipIf(!hasCurl)('the tour of the README', () => {
  it('works, line by line, as it stands there', { timeout: 300_000 }, async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const lines = linesToRun(readme, '<!-- e2e/readme.test.ts')
    expect(lines.length).toBeGreaterThan(20)

    await using data = await temporaryFolder()
    // Somebody may be using the ports of the README, and their data is not ours to touch. All else is as written.
    const ports = await freePorts(3)
    const places: [RegExp, string][] = [
      [/\b4100\b/g, String(ports[0])],
      [/\b4200\b/g, String(ports[1])],
      [/\b4300\b/g, String(ports[2])],
      [/\.mortise\//g, `${data.path}/`],
    ]
    await using shell = await startShell({
      folder: root,
      env: {
        PORT: String(ports[0]),
        MORTISE_URL: `http://localhost:${ports[0]}`,
        MORTISE_DATA_DIR: data.path,
        DATABASE_URL: '',
        DATABASE_DIRECT_URL: '',
      },
      log: `${data.path}/output.log`,
    })
    for (const line of lines) {
      const placed = places.reduce((text, [from, to]) => text.replace(from, to), line)
      const { status, output } = await shell.run(placed, lineMs)
      expect(status, `${line}\n${output}`).toBe(0)
    }
  })
})
