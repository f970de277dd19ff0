'use client'

import { createComponent } from '@lit/react'
import * as react from 'react'
import {
  MortiseConnect as ConnectElement,
  MortiseInstall as InstallElement,
  MortiseIntegrations as IntegrationsElement,
  MortiseManage as ManageElement,
} from '../index.ts'
import { callbacksOf } from './callbacks.ts'
import type { WrappedElement } from './wrapped-element.ts'

/** Lets a customer choose a provider and give access to an account. */
export const MortiseConnect = createComponent({
  react,
  tagName: 'mortise-connect',
  elementClass: ConnectElement,
  events: callbacksOf('mortise-connect'),
}) as WrappedElement<ConnectElement, 'mortise-connect', 'provider' | 'connection' | 'closable'>

/** Lets a customer choose what an integration reads and writes, and install it; later, change it. */
export const MortiseInstall = createComponent({
  react,
  tagName: 'mortise-install',
  elementClass: InstallElement,
  events: callbacksOf('mortise-install'),
}) as WrappedElement<InstallElement, 'mortise-install', 'integration' | 'mappings' | 'closable'>

/** Shows a customer what is connected and installed, whether it works, and lets them change it. */
export const MortiseManage = createComponent({
  react,
  tagName: 'mortise-manage',
  elementClass: ManageElement,
  events: callbacksOf('mortise-manage'),
}) as WrappedElement<ManageElement, 'mortise-manage', 'integration'>

/** A gallery of your integrations: which of them a customer uses, and the steps to set up and to manage each. */
export const MortiseIntegrations = createComponent({
  react,
  tagName: 'mortise-integrations',
  elementClass: IntegrationsElement,
  events: callbacksOf('mortise-integrations'),
}) as WrappedElement<IntegrationsElement, 'mortise-integrations'>

export type { ErrorDetail, MortiseEventDetails, MortiseEventMap } from '../elements/events.ts'
export { useStore } from './use-store.ts'
