import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mortise, temporaryFolder } from './cli.testkit.ts'
import { endAll, startMortise } from './mortise-process.testkit.ts'

/**
 * The units and the commands that docs/backup.md names, run with each other's settings, in a folder instead of the
 * root.
 */

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string) => readFile(join(root, file), 'utf8')
afterAll(endAll)

/** The values of a key of a unit, in their order. */
function valuesOf(unit: string, key: string): string[] {
  return unit.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))
}

function environmentOf(unit: string): Record<string, string> {
  const assignments = valuesOf(unit, 'Environment').flatMap((line) => line.split(' '))
  return Object.fromEntries(
    assignments.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
}

describe('deploy/mortise-backup.service', () => {
  let service: string
  let backup: string
  beforeAll(async () => {
    service = await read('deploy/mortise.service')
    backup = await read('deploy/mortise-backup.service')
  })

  it('has the data folder, the settings and the user of the service', () => {
    expect(environmentOf(backup)).toMatchObject({ MORTISE_DATA_DIR: environmentOf(service)['MORTISE_DATA_DIR'] })
    for (const key of ['EnvironmentFile', 'User', 'Group', 'WorkingDirectory'])
      expect([key, valuesOf(backup, key)]).toEqual([key, valuesOf(service, key)])
  })

  it('backs up the service that the other unit runs, removes what is old, and the guide restores it', async () => {
    const folder = await temporaryFolder()
    // PostgreSQL's own account has to reach it where root runs this.
    await chmod(folder, 0o755)
    const here = (text: string) =>
      text
        .replaceAll('/var/lib/mortise', join(folder, 'lib'))
        .replaceAll('/var/cache/mortise', join(folder, 'cache'))
        .replaceAll('/var/backups/mortise', join(folder, 'backups'))
        .replaceAll('/opt/mortise', root.replace(/\/$/, ''))
    const backups = here('/var/backups/mortise')
    await mkdir(backups)
    const old = join(backups, 'mortise-old.zip')
    await writeFile(old, '')
    await utimes(old, 0, 0)
    const running = await startMortise(environmentOf(here(service)))

    // As systemd runs it: its environment and no other, `%%` is `%`.
    const [, script = ''] = /^\/bin\/sh -c '(.+)'$/.exec(here(valuesOf(backup, 'ExecStart')[0] ?? '')) ?? []
    const env = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...environmentOf(here(backup)),
    }
    const cwd = here(valuesOf(backup, 'WorkingDirectory')[0] ?? '')
    await exec('/bin/sh', ['-c', script.replaceAll('%%', '%')], { cwd, env })
    const [find = '', ...words] = (valuesOf(backup, 'ExecStartPost')[0] ?? '')
      .replaceAll(/\$\{BACKUPS\}/g, backups)
      .split(' ')
    await exec(find, words)
    const files = await readdir(backups)
    expect(files).toEqual([expect.stringMatching(/^mortise-\d{4}-\d\d-\d\d-\d{6}\.zip$/)])
    await running.end('SIGTERM')

    const lib = here('/var/lib/mortise')
    await rename(lib, `${lib}.away`)
    const guide = here(await read('docs/backup.md'))
    const [, argv = ''] = /^ *mortise (restore mortise-\S+\.zip --data-dir \S+)$/m.exec(guide) ?? []
    const [, file = '', ...more] = argv.split(' ')
    const restored = await mortise(['restore', join(backups, files[0] ?? file), ...more])
    expect(restored.code, restored.stderr).toBe(0)
    await rename(join(`${lib}.away`, 'encryption-key'), join(lib, 'encryption-key'))
    const again = await startMortise(environmentOf(here(service)), {
      apiKey: async () => (await readFile(join(`${lib}.away`, 'api-key'), 'utf8')).trim(),
    })
    expect(await again.call('GET', '/v1/projects')).toMatchObject({ status: 200 })
    await again.end('SIGTERM')
  }, 360_000)
})
