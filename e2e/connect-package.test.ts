import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packClient, packConnect, packInstalled } from '../scripts/packages.ts'
import { runOnHost } from './host.testkit.ts'

/**
 * The components as a stranger gets them: packed, installed without a network into an empty project, type-checked
 * strictly, loaded by Node and bundled.
 */

const root = fileURLToPath(new URL('../', import.meta.url))
const headlessBytesMax = 14 * 1024

let home: string
let project: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-connect-'))
  project = join(home, 'stranger')
  await mkdir(project)
  const own = [await packClient(home), await packConnect(home)]
  const others = await packInstalled(await dependencies(), home)
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module', private: true }))
  await onHost('npm', 'install', '--offline', '--no-audit', '--no-fund', ...own, ...others)
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Folders of everything else that the project installs, so that it needs no registry. */
async function dependencies(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const found = new Set<string>()
  const add = (name: string) => {
    const folder = `node_modules/${name}`
    if (name.startsWith('@mortise/') || found.has(folder)) return
    found.add(folder)
    Object.keys(packages[folder].dependencies ?? {}).forEach(add)
  }
  for (const folder of ['packages/client', 'packages/connect']) Object.keys(packages[folder].dependencies).forEach(add)
  for (const name of ['react', 'react-dom', '@types/react', '@types/node']) add(name)
  return [...found].map((folder) => join(root, folder))
}

const onHost = (program: string, ...args: string[]) => runOnHost(program, args, { cwd: project, env: { HOME: home } })

const page = `import '@mortise/connect'
import { type ConnectInfo, createApi, ManageStore } from '@mortise/connect/headless'
import { MortiseConnect, MortiseInstall, MortiseIntegrations, MortiseManage, useStore } from '@mortise/connect/react'

const store = new ManageStore({ api: createApi({ server: 'https://mortise.example.com', project: 'default' }) })

document.createElement('mortise-connect').addEventListener('mortise-connected', ({ detail }) => {
  const status: string = detail.connection.status
  // @ts-expect-error There is no such property.
  detail.installation
  return status
})

export function Page({ onClosed }: { onClosed?: () => void }) {
  const info: ConnectInfo | undefined = useStore(store).info
  return (
    <>
      <MortiseConnect
        server="https://mortise.example.com"
        project="default"
        getToken={async () => 'connect_…'}
        provider="hubspot"
        theme="dark"
        mode="redirect"
        language="en"
        messages={{ en: { 'provider.lead': info?.appName ?? '' } }}
        className="box"
        closable
        onConnected={(event) => console.log(event.detail.connection.id)}
        onClosed={onClosed}
        onError={({ detail }) => console.log(detail.kind === 'denied', detail.issues?.length)}
      />
      <MortiseInstall
        integration="crm"
        mappings={{ contacts: [{ mapToName: 'priority' }] }}
        onInstalled={({ detail }) => console.log(detail.installation.id)}
      />
      <MortiseManage onRemoved={({ detail }) => console.log(detail.connectionId)} ref={(element) => element?.focus()} />
      <MortiseIntegrations onChanged={({ detail }) => console.log(detail.installation.id)} />
      {/* @ts-expect-error There is no such mode. */}
      <MortiseManage mode="tab" />
      {/* @ts-expect-error This element never fires it. */}
      <MortiseManage onInstalled={() => undefined} />
      {/* @ts-expect-error This is a method of the element, no property. */}
      <MortiseManage requestUpdate={() => undefined} />
    </>
  )
}
`

test.each([
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'esnext', moduleResolution: 'bundler' },
])('its types hold under strict, without skipLibCheck: $moduleResolution', async (resolution) => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    types: ['node'],
    noEmit: true,
    ...resolution,
  }
  await writeFile(join(project, 'page.tsx'), page)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.tsx'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const checked = await runOnHost(process.execPath, [tsc, '-p', project], { cwd: project, env: {} }).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe('')
})

test('Node loads it and renders it, on the Node of the machine', async () => {
  const program = `import '@mortise/connect'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { MortiseManage } from '@mortise/connect/react'
import { ManageStore } from '@mortise/connect/headless'
console.log(typeof ManageStore, renderToString(createElement(MortiseManage, { project: 'default', token: 'secret' })))
`
  await writeFile(join(project, 'server.js'), program)
  const { stdout } = await onHost('node', 'server.js')
  expect(stdout).toBe('function <mortise-manage></mortise-manage>\n')
})

describe('bundled for browsers', () => {
  async function bundle(source: string): Promise<string> {
    await writeFile(join(project, 'entry.js'), source)
    const made = await rolldown({
      input: join(project, 'entry.js'),
      cwd: project,
      platform: 'browser',
      resolve: { conditionNames: ['browser', 'production', 'import', 'default'] },
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
      onLog: (_, { code, message }) => {
        // 'use client' is for bundlers that know it.
        if (code !== 'MODULE_LEVEL_DIRECTIVE') throw new Error(message)
      },
    })
    const { output } = await made.generate({ format: 'esm', minify: true })
    await made.close()
    return output[0].code
  }

  test('the stores bring no Lit, nothing that touches the page, and stay small', async () => {
    const code =
      await bundle(`import { ConnectStore, createApi, InstallStore, ManageStore } from '@mortise/connect/headless'
console.log(ConnectStore, createApi, InstallStore, ManageStore)`)
    expect(code).not.toMatch(/\blit|shadowRoot|customElements|document\.|window\.open|addEventListener\("message/i)
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(headlessBytesMax)
  })

  test('an import without names defines the elements', async () => {
    const code = await bundle(`import '@mortise/connect'`)
    for (const name of ['mortise-connect', 'mortise-install', 'mortise-manage', 'mortise-integrations'])
      expect(code).toContain(name)
  })

  test('the React wrapper brings no second React, and marks itself for the client', async () => {
    const code = await bundle(`import { MortiseConnect } from '@mortise/connect/react'
import { createElement } from 'react'
console.log(createElement(MortiseConnect))`)
    expect(code.match(/Symbol\.for\(.react\.transitional\.element.\)/g)).toHaveLength(1)
    const wrapper = await readFile(join(project, 'node_modules/@mortise/connect/dist/lib/react/index.js'), 'utf8')
    expect(wrapper.startsWith("'use client'")).toBe(true)
  })
})

test('it has one script for a script tag, its license, and no tests', async () => {
  const folder = join(project, 'node_modules/@mortise/connect')
  const { unpkg, jsdelivr, exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect([unpkg, jsdelivr, exports['./connect.js']]).toEqual(Array(3).fill('./dist/connect.js'))
  const script = await readFile(join(folder, 'dist/connect.js'), 'utf8')
  expect(script).toContain('mortise-integrations')
  // What it imports is in the package too.
  expect(script.match(/(?:from|import)\s*["'`](?!\.\/languages\/)[^"'`]+["'`]/g)).toBeNull()
  expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License')
  const { stdout } = await onHost('node', '-p', `fs.readdirSync('${folder}', { recursive: true }).join('\\n')`)
  expect(stdout).not.toMatch(/test|hosted|source-hash|\.ts$(?<!\.d\.ts)/m)
})
