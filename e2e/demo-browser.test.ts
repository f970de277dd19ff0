import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))

test('npm run demo -- --browser prints its links, serves them, and ends with Ctrl-C', async () => {
  const demo = spawn(
    process.execPath,
    ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', 'examples/demo/main.ts', '--browser'],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(demo, 'close')
  let output = ''
  try {
    for (const stream of [demo.stdout, demo.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    await expect.poll(() => output, { timeout: 90_000 }).toContain('Ctrl-C stops everything')
    const [harbor = '', crm = '', mortise = ''] = ['Harbor', 'Sample CRM', 'Mortise'].map(
      (name) => new RegExp(`${name} +(http://\\S+)`).exec(output)?.[1],
    )
    expect(await (await fetch(`${harbor}/integrations`)).text()).toContain('/connect.js')
    expect(await (await fetch(new URL('/connect.js', mortise))).text()).toContain('mortise-integrations')
    expect(await (await fetch(crm)).text()).toContain('demo-key')
    const answer = await fetch(`${harbor}/api/connect-session`, { method: 'POST', body: '{}' })
    expect(await answer.json()).toEqual({
      token: expect.stringMatching(/^connect_/),
      url: expect.stringContaining(new URL(mortise).origin),
    })
    const { url } = (await (await fetch(`${harbor}/api/connect-session`, { method: 'POST', body: '{}' })).json()) as {
      url: string
    }
    expect((await fetch(url)).headers.get('content-security-policy')).toContain(`frame-ancestors ${harbor};`)
    demo.kill('SIGINT')
    const [code] = await ended
    expect(code, output).toBe(0)
    for (const url of [harbor, crm, mortise]) await expect(fetch(url)).rejects.toThrow('fetch failed')
  } finally {
    demo.kill('SIGKILL')
  }
}, 180_000)
