import { resolve } from 'node:path'
import { z } from 'zod'
import { connectAs } from '../../service/connect.ts'
import { UsageError } from '../../usage-error.ts'
import { cursor } from '../inputs.ts'
import { thingResult } from '../results.ts'
import { tool } from '../tool.ts'

export const runDoctor = tool({
  name: 'run_doctor',
  title: 'Find problems',
  description:
    'Checks this computer, the service and the project: credential, provider files, destinations, connections, installations and queued messages. Says what to do about each problem.',
  effect: 'read',
  input: z.strictObject({ cursor }),
  run: async ({ cursor: from }, { computer, signal }) => {
    if (!computer) throw new UsageError('run_doctor works on a computer only.')
    const { terminal, settings: readSettings } = computer
    const { examine } = await import('../../doctor/index.ts')
    const settings = await readSettings()
    const mortise = settings.credential && connectAs(settings.credential, settings, terminal)
    const dataDir = resolve(terminal.cwd, terminal.env['MORTISE_DATA_DIR'] ?? '.mortise')
    const findings = []
    for await (const finding of examine({ terminal: { ...terminal, signal }, settings, mortise, dataDir }))
      findings.push(finding)
    return thingResult({ healthy: findings.every(({ status }) => status === 'ok'), findings }, from)
  },
})
