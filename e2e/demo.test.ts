import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Runs the demo to its end. */
async function run(...options: string[]): Promise<{ code: number; output: string }> {
  const demo = spawn(
    process.execPath,
    ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', 'examples/demo/main.ts', ...options],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(demo, 'close')
  return { code, output }
}

it('npm run demo goes through to its end, and nothing is lost', async () => {
  const { code, output } = await run()
  expect(output).toContain('all 25 changed contacts arrived')
  expect(output).toMatch(/nothing lost, in \d+ s/)
  expect(output).toMatch(
    /the installation of acme: http:\/\/localhost:\d+\/console\/default\/installations\/[0-9a-f-]{36}\/[0-9a-f-]{36}/,
  )
  expect(code).toBe(0)
}, 180_000)

it('npm run demo -- --to postgres shows rows of three customers, an update and a deletion', async () => {
  const { code, output } = await run('--to', 'postgres')
  expect(output).toMatch(/done, in \d+ s/)
  const [before = '', updated = '', deleted = ''] = output.split(/✓ (?:one row|the row has|the row stays).*/)
  const rowsOf = (table: string, customer: string) => table.split('\n').filter((line) => line.includes(customer))
  for (const customer of ['acme', 'globex', 'initech']) expect(rowsOf(before, customer)).toHaveLength(3)
  expect(rowsOf(before, 'acme').join()).not.toContain(' 100 ')
  expect(rowsOf(updated, 'acme').join()).toContain(' 100 ')
  expect(rowsOf(updated, 'globex').join()).not.toMatch(/\d\d:\d\d:\d\d/)
  expect(rowsOf(deleted, 'globex').join()).toMatch(/\d\d:\d\d:\d\d/)
  expect(code).toBe(0)
}, 180_000)

it('names what --to takes', async () => {
  expect(await run('--to', 'oracle')).toEqual({ code: 2, output: '--to takes postgres.\n' })
})
