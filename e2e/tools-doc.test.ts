import { spawnSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { runGuide } from './readme/run-guide.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.log('The guide of tools is not run: there is no curl on this machine.')

describe.skipIf(!hasCurl)('the guide of tools for agents', () => {
  it('works, line by line, as it stands there', { timeout: 300_000 }, async () => {
    await runGuide({
      file: 'docs/tools.md',
      marker: '<!-- e2e/tools-doc.test.ts',
      ports: [4100, 4200],
      linesMin: 12,
    })
  })
})
