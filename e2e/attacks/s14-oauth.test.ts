import { attack } from './s14-oauth.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
