import { access, chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { mortise, temporaryFolder } from './cli.testkit.ts'
import { endAll, startMortise } from './mortise-process.testkit.ts'

/** `mortise backup` and `mortise restore`, from one machine to another, with the database that comes with Mortise. */

afterAll(endAll)

it('moves a service that runs to an empty folder elsewhere, and everything is there', async () => {
  const folder = await temporaryFolder()
  const from = join(folder, 'old')
  const to = join(folder, 'new')
  const file = join(folder, 'backup.zip')
  // As somebody does who starts it as root for PostgreSQL's own account to reach it.
  await chmod(folder, 0o755)
  const apiKey = async () => (await readFile(join(from, 'api-key'), 'utf8')).trim()
  const old = await startMortise({ MORTISE_DATA_DIR: from }, { apiKey })
  const url = 'https://hooks.example.com/in'
  const created = await old.call('POST', '/v1/projects/default/destinations', {
    name: 'hook',
    type: 'webhook',
    metadata: { url },
  })
  expect(created.status).toBe(201)
  const secret = async (service: typeof old) =>
    (await service.call('GET', '/v1/projects/default/destinations/hook?includeSecrets=true')).body['secrets']
  const before = await secret(old)

  const backup = await mortise(['backup', file, '--data-dir', from, '--with-encryption-key', '--format', 'json'])
  expect(backup.code, backup.stderr).toBe(0)
  expect(backup.stderr).toContain('The backup contains the encryption key')
  const told = JSON.parse(backup.stdout)
  expect(told).toMatchObject({ file, encryptionKey: true })
  expect(told.tables).toContainEqual({ name: 'destinations', rows: 1 })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const again = await mortise(['backup', file, '--data-dir', from])
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('a backup overwrites no file') })
  const inUse = await mortise(['restore', file, '--data-dir', from])
  expect(inUse.code).toBe(1)
  expect(inUse.stderr).toContain(`in use by another Mortise, process ${old.child.pid}`)
  await old.end('SIGTERM')

  const full = await mortise(['restore', file, '--data-dir', from])
  expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })

  const restored = await mortise(['restore', file, '--data-dir', to])
  expect(restored.code, restored.stderr).toBe(0)
  expect(restored.stderr).toContain(`The encryption key was written to ${join(to, 'encryption-key')}`)
  expect((await stat(join(to, 'encryption-key'))).mode & 0o777).toBe(0o600)
  // The key of old works: it is in the database, and its file is no part of a backup.
  const moved = await startMortise({ MORTISE_DATA_DIR: to }, { apiKey })
  expect(await secret(moved)).toEqual(before)
  await expect(access(join(to, 'api-key'))).rejects.toThrow()
  await moved.end('SIGTERM')

  // And once it has stopped, as a pipe and without the key.
  const piped = await mortise(['backup', '-', '--data-dir', to])
  expect(piped.code, piped.stderr).toBe(0)
  expect(piped.stdout.slice(0, 2)).toBe('PK')
  expect(piped.stderr).toContain('does not contain the encryption key')
}, 600_000)

it('says what is missing, and leaves no half a file', async () => {
  const folder = await temporaryFolder()
  const nothing = await mortise(['backup', join(folder, 'b.zip'), '--data-dir', join(folder, 'none')])
  expect(nothing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`There is no database in ${join(folder, 'none')}`),
  })
  await mkdir(join(folder, 'x'))
  await writeFile(join(folder, 'text.zip'), 'no backup')
  const refused = await mortise(['restore', join(folder, 'text.zip'), '--data-dir', join(folder, 'x')])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a backup') })
  await expect(access(join(folder, 'b.zip'))).rejects.toThrow()
  await expect(access(join(folder, 'x', 'postgres'))).rejects.toThrow()
})
