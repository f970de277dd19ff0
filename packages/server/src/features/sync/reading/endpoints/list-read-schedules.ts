import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { InstallationNotFound } from '../../../integrations/installations/index.ts'
import { ReadSchedule } from '../model.ts'
import { scheduleOffsetMs } from '../next-run.ts'
import { findSchedules } from '../schedule-store.ts'

export const listReadSchedules = endpoint({
  id: 'listReadSchedules',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/schedules',
  access: 'view',
  extension: true,
  summary: 'List the objects that are read on a schedule, with their last and next reads.',
  description: 'Objects without a schedule, for reads or for deleted records, are left out.',
  tag: 'Read',
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  reply: { 200: Type.Array(ReadSchedule, { description: 'By the name of the object.' }) },
  problems: [InstallationNotFound],
  run: async ({ db, params }, { config }: { config: Pick<Config, 'scheduleSpreadMs'> }) => {
    const { integrationId, installationId } = params
    const schedules = isId(installationId) ? await findSchedules(db, integrationId, installationId) : undefined
    if (!schedules) throw new InstallationNotFound()
    const spreadMs = config.scheduleSpreadMs
    return reply(
      200,
      schedules.map((object) => ({
        offsetSeconds:
          scheduleOffsetMs(object.schedule ?? object.deletions?.schedule ?? '', { installationId, spreadMs }) / 1_000,
        ...object,
      })),
    )
  },
})
