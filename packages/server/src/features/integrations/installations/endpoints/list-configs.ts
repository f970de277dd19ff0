import { Type } from 'typebox'
import { endpoint, PageQuery, pageOf, reply } from '../../../../kernel/http/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { listConfigVersions } from '../config-store.ts'
import { ConfigVersion, configVersionResource } from '../config-version.ts'
import { InstallationNotFound } from '../problems.ts'
import { findInstallationRow } from '../store.ts'
import { installationPath } from './get-installation.ts'

const pageSizeDefault = 50

export const listConfigs = endpoint({
  id: 'listConfigs',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/configs',
  access: 'view',
  summary: 'List the versions of the config of an installation.',
  description: `Newest first. Without \`pageSize\`, a page has ${pageSizeDefault} versions.`,
  tag: 'Installations',
  extension: true,
  params: installationPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(ConfigVersion) },
  problems: [IntegrationNotFound, InstallationNotFound],
  run: async (input) => {
    const { db, params } = input
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const row = await findInstallationRow(db, params.installationId)
    if (row?.integration_id !== integration.id) throw new InstallationNotFound()
    const { items, headers } = await pageOf(input, {
      list: (page) => listConfigVersions(db, row.id, page),
      keyOf: ({ version }) => String(version),
      isKey: (text) => /^[1-9]\d{0,8}$/.test(text),
      pageSizeDefault,
    })
    return reply(
      200,
      items.map((version) => configVersionResource(version, row.config_id)),
      headers,
    )
  },
})
