import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../packages/cli/package.json' with { type: 'json' }
import { run } from '../../packages/cli/src/run.ts'
import { testTerminal } from '../../packages/cli/src/testkit/test-terminal.ts'

interface Step {
  uses?: string
  run?: string
  env?: Record<string, string>
}
interface Workflow {
  on: { pull_request: { paths: string[] }; push: { branches: string[] } }
  jobs: Record<string, { if: string; 'runs-on': string; steps: Step[] }>
}

const workflow: Workflow = parse(await readFile(new URL('./mortise.yml', import.meta.url), 'utf8'))
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)
const commands = steps.filter((step) => step.run?.includes('mortise'))

test('checks pull requests and deploys what is merged to main', () => {
  expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push'])
  expect(workflow.on.push.branches).toEqual(['main'])
  const runs = (job: string) => workflow.jobs[job]?.steps.flatMap(({ run: line }) => line?.split(' ')[3] ?? [])
  expect([runs('check'), runs('deploy')]).toEqual([['validate', 'diff'], ['deploy']])
})

test.each(commands.map(({ run: line, env }) => [line!, env] as const))(
  '%s is a command of this release',
  async (line, env) => {
    const [npx, yes, name, ...args] = line.split(' ')
    expect([npx, yes, name]).toEqual(['npx', '--yes', `@mortise/cli@${packageJson.version}`])
    const cwd = await mkdtemp(join(tmpdir(), 'mortise-action-'))
    try {
      await writeFile(
        join(cwd, 'mortise.yaml'),
        'specVersion: 1.0.0\nintegrations: [{name: a, provider: hubspot, proxy: {enabled: true}}]\n',
      )
      // Without a credential, a command that talks to the service gets exactly as far as asking for one.
      const isOffline = args[0] === 'validate'
      expect(await run(args, testTerminal({ cwd }))).toBe(isOffline ? 0 : 4)
      const values = { MORTISE_URL: '${{ vars.MORTISE_URL }}', MORTISE_API_KEY: '${{ secrets.MORTISE_API_KEY }}' }
      expect(env).toEqual(isOffline ? undefined : values)
    } finally {
      await rm(cwd, { recursive: true })
    }
  },
)
