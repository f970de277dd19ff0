import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { interrupt, mortise, startMortise, temporaryFolder } from './cli.testkit.ts'
import { freePort } from './mortise-process.testkit.ts'

/** `mortise dev`: everything that it takes to work on a manifest, in one terminal, and nothing left when it ends. */

const manifest = (more = '') => `specVersion: 1.0.0
integrations:
  - name: demo-crm
    provider: sampleCrm
    write: { objects: [{ objectName: contacts }] }
    read:
      objects:
        - objectName: contacts
          destination: webhook
          schedule: '0 3 * * *'
          requiredFields:
            - fieldName: email
          optionalFieldsAuto: all
          backfill: { defaultPeriod: { fullHistory: true } }
${more}`
const companies = `        - objectName: companies
          destination: webhook
          schedule: '0 3 * * *'
          requiredFields:
            - fieldName: name
`

async function startDev(argv: string[] = []) {
  const folder = await temporaryFolder()
  // PostgreSQL's own account has to reach it where root runs this.
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'mortise.yaml'), manifest())
  const ports = { service: await freePort(), crm: await freePort(), listen: await freePort() }
  const named = ['--port', `${ports.service}`, '--crm-port', `${ports.crm}`, '--listen-port', `${ports.listen}`]
  const dev = startMortise(['dev', ...named, ...argv], { PWD: folder })
  /** Nobody listens any more, and PostgreSQL has gone. */
  const allGone = () =>
    vi.waitFor(
      async () => {
        for (const port of Object.values(ports)) await expect(fetch(`http://localhost:${port}`)).rejects.toThrow()
        await expect(readFile(join(folder, '.mortise/postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT')
      },
      { timeout: 30_000, interval: 200 },
    )
  return { folder, dev, ports, allGone }
}

it('deploys at each save, delivers to the endpoint behind, and ends all in order', async () => {
  const received: { path: string; headers: Record<string, unknown>; body: string }[] = []
  const endpoint = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.end('ok')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void endpoint.close())
  await new Promise((resolve) => endpoint.once('listening', resolve))
  const to = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hooks`

  const { folder, dev, ports, allGone } = await startDev(['--forward', to])
  await dev.printed(/service +ready at http:\/\/localhost:\d+\/v1/)
  await dev.printed(/messages +the destination webhook delivers here/)
  await dev.printed(/demo +demo-crm is installed for the group demo/)
  await dev.printed(/messages +webhook: read of contacts, \d+ records/)
  await dev.printed(/messages +→ .*\/hooks: 200/)
  expect(received[0]).toMatchObject({ path: '/hooks', headers: { 'webhook-signature': expect.stringMatching(/^v1,/) } })

  await writeFile(join(folder, 'mortise.yaml'), manifest('        - objectName: companies\n'))
  await dev.printed(/not deployed: correct mortise\.yaml/)
  await writeFile(join(folder, 'mortise.yaml'), manifest(companies))
  await dev.printed(/manifest +\+? ?.*companies/)

  // Its key is in its file alone.
  const key = (await readFile(join(folder, '.mortise/api-key'), 'utf8')).trim()
  expect(`${dev.output.stdout}${dev.output.stderr}`).not.toContain(key)
  const doctor = await mortise(['doctor', '--url', `http://localhost:${ports.service}`, '--key', key])
  expect(doctor).toMatchObject({ code: 0, stderr: '' })
  const service = ['--url', `http://localhost:${ports.service}`, '--key', key]
  const write = (...more: string[]) =>
    mortise(['write', 'demo-crm', 'contacts', '--group', 'demo', ...service, ...more])
  expect((await write('--set', 'email=ada@acme.example')).stdout).toBe('con_0000501 created\n')
  expect((await write('--type', 'delete', '--set', 'id=con_0000501')).stdout).toBe('con_0000501 deleted\n')

  interrupt(dev)
  expect((await dev.done).code).toBe(130)
  await allGone()
}, 120_000)

it('leaves nothing behind when it is killed', async () => {
  const { dev, allGone } = await startDev()
  const { output } = dev
  await dev.printed(/service +ready at/)
  // Whatever reads its output sees nothing of the others: they are asked to end by the channel that closes.
  process.kill(-dev.child.pid!, 'SIGKILL')
  await allGone()
  expect(output.stderr).toBe('')
}, 120_000)

it('says what is missing before it starts anything', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'empty'))
  const nothing = await mortise(['dev', join(folder, 'empty')])
  expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('There is no manifest in') })
  await writeFile(join(folder, 'mortise.yaml'), manifest())
  const remote = await mortise(['dev', folder, '--forward', 'https://example.com/hooks'])
  expect(remote).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('another computer') })
  const busy = createServer().listen(0, 'localhost')
  onTestFinished(() => void busy.close())
  await new Promise((resolve) => busy.once('listening', resolve))
  const { port } = busy.address() as AddressInfo
  const taken = await mortise(['dev', folder, '--no-sample-crm', '--port', `${port}`])
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port} is in use`) })
})
