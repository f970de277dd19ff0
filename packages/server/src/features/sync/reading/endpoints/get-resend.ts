import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { DestinationNotFound, findDestination } from '../../../messaging/destinations/index.ts'
import { ResendNotFound } from '../problems.ts'
import { Resend } from '../resends/resend-model.ts'
import { resendResource } from '../resends/resend-resource.ts'
import { findResend } from '../resends/resend-store.ts'

export const getResend = endpoint({
  id: 'getResend',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations/{destination}/resend',
  access: 'view',
  summary: 'Get the progress of the newest resend of a destination.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 200: Resend },
  problems: [DestinationNotFound, ResendNotFound],
  run: async ({ db, params }) => {
    const destination = await findDestination(db, params.destination)
    if (!destination) throw new DestinationNotFound()
    const row = await findResend(db, destination.id)
    if (!row) throw new ResendNotFound()
    return reply(200, await resendResource(db, row, destination))
  },
})
