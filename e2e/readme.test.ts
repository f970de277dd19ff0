import { spawnSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { runGuide } from './readme/run-guide.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.log('The tour of the README is not run: there is no curl on this machine.')

describe.skipIf(!hasCurl)('the tour of the README', () => {
  it('works, line by line, as it stands there', { timeout: 300_000 }, async () => {
    await runGuide({
      file: 'README.md',
      marker: '<!-- e2e/readme.test.ts',
      ports: [4100, 4200, 4300],
      linesMin: 20,
    })
  })
})
