import { type Check, failed, ok } from './check.ts'
import { request } from './request.ts'

export const readiness: Check = {
  name: 'readiness',
  needs: 'service',
  async run(patient) {
    const answer = await request(patient, '/readyz')
    if (answer.ok) return [ok('Database, migrations and job queue are ready.')]
    const problem = (await answer.json().catch(() => ({}))) as { causes?: string[]; remedy?: string }
    const causes = problem.causes ?? [`The service responds with ${answer.status} at /readyz.`]
    return causes.map((cause) =>
      failed(
        cause,
        /migration/i.test(cause)
          ? 'Start the newest release once; it migrates when it starts.'
          : 'Check the log of the service.',
      ),
    )
  },
}
