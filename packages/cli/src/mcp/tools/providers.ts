import { z } from 'zod'
import { UsageError } from '../../usage-error.ts'
import { readFolderFile } from '../folder-files.ts'
import { cursor, optional, text } from '../inputs.ts'
import { thingResult } from '../results.ts'
import { tool } from '../tool.ts'

/** The service accepts no larger file. */
const fileBytesMax = 262_144

export const checkProviderFile = tool({
  name: 'check_provider_file',
  title: 'Check a provider file',
  description: 'Finds every error of a provider file offline, each with line, column and what to write instead.',
  effect: 'read',
  isOffline: true,
  input: z.strictObject({
    path: optional('path of the provider file, relative to the folder of the server'),
    text: z.string().max(fileBytesMax).optional().describe('the provider file itself, in place of a path'),
    name: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}\.ya?ml$/)
      .default('provider.yaml')
      .describe('name of the file, if you give its text: NAME.yaml'),
    cursor,
  }),
  run: async ({ path, text: given, name, cursor: from }, { computer, checkProviderFile: check }) => {
    if (!computer && given === undefined) throw new UsageError('Give text: the provider file itself.')
    if ((path === undefined) === (given === undefined)) throw new UsageError('Give path or text, one of both.')
    const file =
      computer && given === undefined
        ? await readFolderFile(computer.folder, path ?? '', fileBytesMax)
        : { name, text: given ?? '' }
    const faults = await check({ path: file.name, text: file.text })
    return thingResult({ valid: faults.length === 0, errors: faults.length, faults }, from)
  },
})

export const getProvider = tool({
  name: 'get_provider',
  title: 'Get a provider',
  description: 'Shows what Mortise can do with a provider, such as hubspot, and how its accounts are connected.',
  effect: 'read',
  isGlobal: true,
  input: z.strictObject({ provider: text('name of the provider'), cursor }),
  run: async ({ provider, cursor: from }, { connect, signal }) =>
    thingResult(await (await connect()).getProvider({ provider }, { signal }), from),
})
