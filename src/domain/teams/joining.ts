import { createHash, randomInt } from 'node:crypto';
import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';
import type { TeamRecord } from './team.js';

/** What somebody with an address of a domain may do: ask to be let in, or join at once. */
export const JOIN_MODES = ['ask', 'join'] as const;
export type JoinMode = (typeof JOIN_MODES)[number];

export const domainRecord = defineRecord({
  name: 'TeamDomain',
  table: 'portal_team_domains',
  alias: 'td',
  fields: {
    id: fieldOf.id(),
    teamId: fieldOf.reference(),
    /** As in a canonical address, without the @. */
    domain: fieldOf.text(253),
    mode: fieldOf.text<JoinMode>(16),
    /** The role of members who join by it. */
    role: fieldOf.text(32),
    ...times,
  },
});

/** People with a proved address of this domain may ask to be in the team, or join. */
export type TeamDomain = RowOf<typeof domainRecord>;

export const domainList = defineList<TeamDomain>(
  domainRecord.list({ name: 'team-domains', sorts: ['createdAt'], filters: ['domain', 'mode'] }),
);

/** `left`: was in the team once, so that joining again takes somebody's consent. */
export type JoinRequestState = 'pending' | 'accepted' | 'declined' | 'withdrawn' | 'left';

export const requestRecord = defineRecord({
  name: 'TeamRequest',
  table: 'portal_team_requests',
  alias: 'tr',
  fields: {
    id: fieldOf.id(),
    teamId: fieldOf.reference(),
    userId: fieldOf.reference(),
    state: fieldOf.text<JoinRequestState>(16),
    ...times,
  },
});

export type RequestRecord = RowOf<typeof requestRecord>;

/** With who asks. */
export interface JoinRequest extends RequestRecord {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

const listedRequest = requestRecord.list({
  name: 'team-requests',
  sorts: ['createdAt'],
  filters: ['state'],
});

export const requestList = defineList<JoinRequest>({
  ...listedRequest,
  columns: { ...listedRequest.columns, email: 'u.email', firstName: 'u.first_name', lastName: 'u.last_name' },
  join: 'JOIN portal_users u ON u.id = tr.user_id',
});

/** A team that a developer may ask or join, with their request, if they asked before. */
export interface TeamOffer {
  readonly team: TeamRecord;
  readonly mode: JoinMode;
  readonly request: RequestRecord | null;
}

export const codeRecord = defineRecord({
  name: 'TeamCode',
  table: 'portal_team_codes',
  alias: 'tk',
  fields: {
    id: fieldOf.id(),
    teamId: fieldOf.reference(),
    /** What it was handed out for. */
    name: fieldOf.text(100),
    role: fieldOf.text(32),
    codeHash: fieldOf.text(64).hidden(),
    maxUses: fieldOf.integer(),
    uses: fieldOf.integer(),
    expiresAt: fieldOf.time(),
    revokedAt: fieldOf.time().nullable(),
    ...times,
  },
});

/** A code of an admin that lets so many people into a team until a day. */
export type TeamCode = RowOf<typeof codeRecord>;

export const codeList = defineList<TeamCode>(
  codeRecord.list({ name: 'team-codes', sorts: ['createdAt'], search: ['name'] }),
);

export type TeamCodeState = 'active' | 'expired' | 'used-up' | 'revoked';

export function codeState({ revokedAt, expiresAt, uses, maxUses }: TeamCode, now: Date): TeamCodeState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return uses >= maxUses ? 'used-up' : 'active';
}

/** Digits and capitals without those that look alike (Crockford): 100 random bits in four groups. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 20;

export function newTeamCode(): string {
  const signs = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)] ?? '');
  return (signs.join('').match(/.{5}/g) ?? []).join('-');
}

/** Of a code as people type it: dashes, spaces and case do not matter. null for what cannot be one. */
export function hashOfCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const isCode = code.length === LENGTH && [...code].every((sign) => ALPHABET.includes(sign));
  return isCode ? createHash('sha256').update(code).digest('hex') : null;
}

/** Hosts where anybody gets an address, so that one of them says nothing of where somebody works. */
const PUBLIC_MAIL_HOSTS: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com aim.com alice.it aol.com arcor.de att.net bellsouth.net bigpond.com bk.ru bluewin.ch btinternet.com
  charter.net comcast.net cox.net daum.net duck.com earthlink.net email.com fastmail.com fastmail.fm foxmail.com free.fr
  freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com guerrillamail.com hanmail.net hey.com hotmail.co.uk
  hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it hushmail.com icloud.com inbox.lv inbox.ru interia.pl juno.com
  laposte.net libero.it list.ru live.ca live.co.uk live.com live.de live.fr live.nl mac.com mail.com mail.ru mailbox.org
  mailinator.com maktoob.com me.com msn.com naver.com netscape.net o2.pl online.de onet.pl orange.fr outlook.at outlook.com
  outlook.de outlook.es outlook.fr outlook.jp pm.me pobox.com posteo.de proton.me protonmail.ch protonmail.com qq.com
  rambler.ru rediffmail.com riseup.net rocketmail.com sapo.pt sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sohu.com
  spamgourmet.com t-online.de telus.net temp-mail.org terra.com.br tiscali.it trashmail.com tuta.com tuta.io tutanota.com
  ukr.net uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl ya.ru yahoo.ca yahoo.co.in yahoo.co.jp
  yahoo.co.uk yahoo.com yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net ymail.com yopmail.com
  zoho.com`.split(/\s+/),
);

export function isPublicMailHost(domain: string, further: readonly string[]): boolean {
  return PUBLIC_MAIL_HOSTS.has(domain) || further.some((host) => host.toLowerCase() === domain);
}

/** The domain of a canonical address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
