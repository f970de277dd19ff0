import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { freePorts } from '../../packages/server/src/testkit/free-port.ts'
import { linesToRun } from './lines-to-run.ts'
import { startShell } from './shell.ts'
import { temporaryFolder } from './surroundings.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const lineMs = 90_000

interface Guide {
  /** Its file, from the root of the repository. */
  file: string
  /** What stands before the lines to run. */
  marker: string
  /** Ports in its lines, that of the service first. */
  ports: readonly number[]
  /** A guide with fewer lines was not read whole. */
  linesMin: number
}

/**
 * Runs the lines of a guide, one after the other. Somebody may be using its ports, and their data is not ours to touch:
 * other ports and a temporary folder take their place.
 */
export async function runGuide({ file, marker, ports, linesMin }: Guide): Promise<void> {
  const lines = linesToRun(await readFile(`${root}${file}`, 'utf8'), marker)
  expect(lines.length).toBeGreaterThan(linesMin)
  await using data = await temporaryFolder()
  const free = await freePorts(ports.length)
  await using shell = await startShell({
    folder: root,
    env: {
      PORT: String(free[0]),
      MORTISE_URL: `http://localhost:${free[0]}`,
      MORTISE_DATA_DIR: data.path,
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
    },
    log: `${data.path}/output.log`,
  })
  for (const line of lines) {
    const placed = line
      .replace(/\b\d{4}\b/g, (port) => String(free[ports.indexOf(Number(port))] ?? port))
      .replaceAll('.mortise/', `${data.path}/`)
    const { status, output } = await shell.run(placed, lineMs)
    expect(status, `${line}\n${output}`).toBe(0)
  }
}
