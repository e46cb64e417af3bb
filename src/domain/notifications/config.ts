import { duration, flag, integer, type OptionValues } from '../../core/index.js';

export const notificationOptions = {
  approvals: flag(true, 'Mail the admins who may decide when developers, apps, keys or products of keys wait for it.'),
  approvalsEvery: duration(3_600, 'Least time between two such mails; a bare number counts minutes.', {
    unit: 'minutes',
    min: 60,
    max: 604_800,
  }),
  digestHour: integer(6, 'Hour of the day, in UTC, from which developers who chose so are mailed what changed.', {
    max: 23,
  }),
  usage: flag(true, 'Mail developers when an app reaches a part of a quota, or is used unusually much.'),
  viewedAs: flag(true, 'Mail developers when an admin looks at the portal as they see it; without who and why.'),
};

export type NotificationsConfig = OptionValues<typeof notificationOptions>;
