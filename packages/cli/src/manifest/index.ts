/**
 * What commands do with manifests. They load it when they run: the parser and its like cost every other command its
 * time.
 */
export { validateManifest } from '@mortise/manifest'
export { askNewManifest } from './ask-new-manifest.ts'
export { offlineCatalogue, packedProviders } from './catalogue.ts'
export { findingsData } from './findings-data.ts'
export { type ManifestFile, readManifestFile } from './manifest-file.ts'
export { newManifest } from './new-manifest.ts'
export { type Plan, type PlannedIntegration, planDeploy } from './plan.ts'
export { installationsText, planText } from './plan-text.ts'
export { mentionFindings, printFindings } from './print-findings.ts'
export { findingsOfProblem } from './refused.ts'
export { countFindings, type ShownFinding } from './show-findings.ts'
