import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { terminalSvg } from './terminal-svg.ts'

/**
 * Draws the output of the demo as `docs/images/demo.svg`:
 *
 *   node scripts/run.mjs scripts/write-demo-picture.ts          runs the demo first
 *   node scripts/run.mjs scripts/write-demo-picture.ts FILE     takes the output of `FORCE_COLOR=1 npm run demo` from a
 *   file
 */
const root = new URL('../', import.meta.url)
const [file] = process.argv.slice(2)
const output = file === undefined ? await runDemo() : await readFile(file, 'utf8')
await mkdir(new URL('docs/images/', root), { recursive: true })
await writeFile(new URL('docs/images/demo.svg', root), terminalSvg('npm run demo', shownLines(output)))

async function runDemo(): Promise<string> {
  const demo = spawn(process.execPath, ['scripts/run.mjs', 'examples/demo/main.ts'], {
    cwd: fileURLToPath(root),
    env: { ...process.env, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  // The bars go to standard error, the rest to standard output.
  for (const stream of [demo.stdout, demo.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
      process.stdout.write(part)
    })
  }
  const [code] = await once(demo, 'close')
  if (code !== 0) throw new Error(`the demo ended with ${code}`)
  return text
}

/** Returns the lines from step 3 on, without the addresses and ids of this run. Each bar is shown as it ended. */
function shownLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const isBar = (line = '') => line.includes('/20000')
  const from = lines.findIndex((line) => line.includes('A customer connects'))
  const end = lines.findIndex((line) => line.includes('nothing lost'))
  const isStep = (line: string) => line.startsWith('\u001b[36m') && line.includes('.\u001b[39m')
  return lines
    .slice(from, end + 1)
    .filter((line, index, all) => line !== '' && (!isBar(line) || !isBar(all[index + 1])))
    .flatMap((line, index) => (index > 0 && (isStep(line) || line.includes('┌')) ? ['', line] : [line]))
}
