import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

it('npm run demo goes through to its end, and nothing is lost', async () => {
  const demo = spawn(
    process.execPath,
    ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', 'examples/demo/main.ts'],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(demo, 'close')
  expect(output).toContain('all 25 changed contacts arrived')
  expect(output).toMatch(/nothing lost, in \d+ s/)
  expect(output).toMatch(
    /the installation of acme: http:\/\/localhost:\d+\/console\/default\/installations\/[0-9a-f-]{36}\/[0-9a-f-]{36}/,
  )
  expect(code).toBe(0)
}, 180_000)
