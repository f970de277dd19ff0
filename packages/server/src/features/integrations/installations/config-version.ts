import { type Static, Type } from 'typebox'
import { named } from '../../../kernel/http/index.ts'
import type { ConfigVersionRow } from './config-store.ts'
import { answeredContent } from './content.ts'
import { Config } from './resource.ts'

export const ConfigVersion = named(
  'ConfigVersion',
  Type.Object(
    {
      ...Config.properties,
      version: Type.Integer({ description: 'Number of the version; the first is 1.' }),
      isCurrent: Type.Boolean({ description: 'Whether the installation uses this version.' }),
    },
    { description: 'A version of the config of an installation.' },
  ),
)
export type ConfigVersion = Static<typeof ConfigVersion>

export function configVersionResource(row: ConfigVersionRow, currentId: string): ConfigVersion {
  const { content, ...version } = row
  return { ...version, content: answeredContent(content), isCurrent: row.id === currentId }
}
