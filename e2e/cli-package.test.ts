import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { packCli } from '../scripts/packages.ts'
import { runOnHost } from './host.testkit.ts'

/**
 * The package as a stranger gets it: packed, installed without a network by the npm of this machine, and run by its
 * Node.
 */

let app: TestApp
let home: string
let folder: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-package-'))
  folder = join(home, 'stranger')
  await mkdir(folder)
  const packed = packCli(home)
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  await onHost(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', await packed)
})
afterAll(async () => {
  await app?.stop()
  await rm(home, { recursive: true })
})

async function onHost(cwd: string, program: string, ...args: string[]) {
  const env = {
    HOME: home,
    MORTISE_URL: app?.url ?? '',
    MORTISE_API_KEY: app?.apiKey ?? '',
    MORTISE_CONFIG_DIR: home,
  }
  return await runOnHost(program, args, { cwd, env }).then(
    (done) => ({ code: 0, ...done }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

test('it brings nothing else along', async () => {
  const modules = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
  expect(modules).toEqual(['@mortise'])
  expect(await readdir(join(folder, 'node_modules/@mortise'))).toEqual(['cli'])
  const installed = join(folder, 'node_modules/@mortise/cli')
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect({ dependencies, devDependencies }).toEqual({})
  const licences = await readFile(join(installed, 'THIRD_PARTY_LICENSES'), 'utf8')
  for (const name of ['commander', '@clack/prompts', 'yaml', 'croner', '@modelcontextprotocol/server', 'zod'])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

test('a provider file is tested offline, in the thread that the package has', { timeout: 90_000 }, async () => {
  const { code, stdout } = await onHost(folder, 'npx', 'mortise', 'provider', 'test', 'iterable', '--stand-in')
  expect(code).toBe(0)
  expect(stdout).toContain('✓ iterable\n')
  expect(stdout).toMatch(/^\d+ objects passed against the stand-in$/m)
})

// Five processes of npm: about three seconds, and many more where everything else runs at once.
test('init, validate, diff and deploy work in an empty folder', { timeout: 90_000 }, async () => {
  const destination = { name: 'webhook', type: 'webhook', metadata: { url: 'https://example.com/hook' } }
  expect(await app.call('POST', '/projects/default/destinations', destination)).toMatchObject({ status: 201 })
  const args = ['--provider', 'hubspot', '--object', 'contacts', '--destination', 'webhook']
  expect(await onHost(folder, 'npx', 'mortise', 'init', ...args)).toMatchObject({ code: 0 })
  expect(await onHost(folder, 'npx', 'mortise', 'validate')).toMatchObject({ code: 0 })
  expect(await onHost(folder, 'npx', 'mortise', 'diff', '--exit-code')).toMatchObject({ code: 1 })
  const deployed = await onHost(folder, 'npx', 'mortise', 'deploy')
  expect(deployed, deployed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('hubspot') })
  expect(await app.call('GET', '/projects/default/integrations/hubspot')).toMatchObject({ status: 200 })
})

test('mcp speaks the protocol, and no other command loads it', async () => {
  const dist = join(folder, 'node_modules/@mortise/cli/dist')
  const found = new Set(['main.js'])
  for (const name of found) {
    const text = await readFile(join(dist, name), 'utf8')
    expect([name, text.includes('notifications/initialized')]).toEqual([name, false])
    for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) found.add(imported)
  }
  expect(found.size).toBeGreaterThan(1)
  const tools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
  const script = `coproc MCP { npx mortise mcp; }; pid=$MCP_PID; echo '${tools}' >&"\${MCP[1]}"; read -r line <&"\${MCP[0]}"
    echo "$line"; eval "exec \${MCP[1]}>&-"; wait "$pid"`
  const answered = await onHost(folder, 'bash', '-c', script)
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"validate_manifest"'), stderr: '' })
})

test('its completion works', async () => {
  const { stdout } = await onHost(folder, 'npx', 'mortise', 'completion', 'bash')
  await writeFile(join(home, 'completion.bash'), stdout)
  const script = `source ${join(home, 'completion.bash')}; COMP_WORDS=(mortise val); COMP_CWORD=1; _mortise; echo "\${COMPREPLY[@]}"`
  expect(await onHost(folder, 'bash', '-c', script)).toMatchObject({ code: 0, stdout: 'validate\n' })
})
