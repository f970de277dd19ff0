import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { manifestOf } from './rig/manifest-of.ts'
import { startServiceInProcess } from './rig/service-in-process.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const integrations = 200
const rounds = fullOrShort(12, 1)
const warmUpRounds = fullOrShort(3, 1)

/**
 * Both sides run in one process and read the manifest in the same thread with the same options. Each round deploys
 * integrations that are not there yet, then new revisions of all of them, then the same again; the figure is the
 * dearest of the three.
 */
export const deploy: Benchmark = {
  name: 'deploy',
  measures: 'deploy of 200 integrations ÷ parsing and validating the same YAML alone',
  goal: { most: 4 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using service = await startServiceInProcess(folder.path)
    const { services } = service.app
    const { readIntervalMinMs } = services.config
    const times = {
      validate: [] as number[],
      added: [] as number[],
      changed: [] as number[],
      unchanged: [] as number[],
    }

    const validate = async (yaml: string) => {
      const { valid } = await services.validateManifest(yaml, { destinations: [], strict: false, readIntervalMinMs })
      if (!valid) throw new Error('the manifest is not valid')
    }
    const put = async (sourceYaml: string) => {
      const answer = await fetch(`${service.url}/v1/projects/default/integrations:batch`, {
        method: 'PUT',
        headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ sourceYaml }),
      })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`the deploy answered ${answer.status}: ${text}`)
    }

    for (let round = -warmUpRounds; round < rounds; round++) {
      const label = `round${round + warmUpRounds}`
      const first = manifestOf(integrations, label)
      const second = manifestOf(integrations, label, 2)
      const took = {
        validate: await timed(() => validate(first)),
        added: await timed(() => put(first)),
        changed: await timed(() => put(second)),
        unchanged: await timed(() => put(second)),
      }
      if (round < 0) continue
      for (const [what, ms] of Object.entries(took)) times[what as keyof typeof times].push(ms)
    }
    const alone = median(times.validate)
    const ratios = {
      added: rounded(median(times.added) / alone),
      changed: rounded(median(times.changed) / alone),
      unchanged: rounded(median(times.unchanged) / alone),
    }
    say(
      `parsing and validating alone ${alone.toFixed(0)} ms; ÷ added ${ratios.added}, changed ${ratios.changed}, unchanged ${ratios.unchanged}`,
    )
    const yamlBytes = Buffer.byteLength(manifestOf(integrations, 'round0'))
    return {
      value: Math.max(ratios.added, ratios.changed, ratios.unchanged),
      details: { integrations, yamlBytes, rounds, validateMs: rounded(alone), ratios },
    }
  },
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

if (import.meta.main) process.exitCode = (await runAlone(deploy)) ? 0 : 1
